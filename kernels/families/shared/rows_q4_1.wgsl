// Q4_1: 32 values in 20 bytes, an f16 scale, an f16 minimum, 16 bytes of nibbles; value = scale * q + minimum.
fn {{NAME}}8(row: u32, chunk: u32) -> Eight {
    let block = (row * ({{WIDTH}} / 32u) + chunk / 4u) * 5u;
    let at = block + 1u + (chunk & 1u) * 2u;
    let shift = (chunk & 2u) * 2u;
    let scale = unpack2x16float({{BUFFER}}[block]);
    let low = vec4<f32>(unpack4xU8(({{BUFFER}}[at] >> shift) & 0x0f0f0f0fu));
    let high = vec4<f32>(unpack4xU8(({{BUFFER}}[at + 1u] >> shift) & 0x0f0f0f0fu));
    return Eight(scale.x * low + scale.y, scale.x * high + scale.y);
}
