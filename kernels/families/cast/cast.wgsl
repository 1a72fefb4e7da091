// Each value of x at another dtype, rounded to nearest even; what f16 cannot hold becomes an infinity, NaN stays NaN.
//# if OUTPUT == f16
enable f16;
//# end
//# if INPUT == f16
enable f16;
//# end
struct Uniforms { size: u32, pad0: u32, pad1: u32, pad2: u32 }
@group(0) @binding(0) var<uniform> u: Uniforms;
//# if INPUT == bf16
@group(0) @binding(1) var<storage, read> x: array<u32>;
//# else
@group(0) @binding(1) var<storage, read> x: array<{{INPUT}}>;
//# end
@group(0) @binding(2) var<storage, read_write> out: array<{{OUTPUT}}>;

fn value(i: u32) -> f32 {
//# if INPUT == bf16
    let word = x[i / 2u];
    return bitcast<f32>(select(word << 16u, word & 0xffff0000u, (i & 1u) == 1u));
//# else
    return f32(x[i]);
//# end
}

@compute @workgroup_size(128)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let i = (group.x + group.y * groups.x) * 128u + index;
    if i < u.size { out[i] = {{OUTPUT}}(value(i)); }
}
