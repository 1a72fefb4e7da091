// Eight consecutive values, the unit in which rows are read: 16 bytes of f16, 32 of f32, a quarter of a quantised block.
override EIGHTS: bool = true;  // rows are multiples of eight, so that none of these straddles two loads
struct Eight { low: vec4<f32>, high: vec4<f32> }

fn dot8(a: Eight, b: Eight) -> f32 {
    return dot(a.low, b.low) + dot(a.high, b.high);
}
