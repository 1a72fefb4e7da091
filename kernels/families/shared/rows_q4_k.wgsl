// Q4_K: 256 values in 144 bytes, f16 scale and minimum, eight 6-bit scales and minima in 12 bytes, 128 bytes of nibbles.
// value = scale * s[j] * q - minimum * m[j] for sub-block j of 32; two sub-blocks share 32 bytes, low nibbles first.
fn {{NAME}}_byte(block: u32, i: u32) -> u32 {
    return ({{BUFFER}}[block + 1u + i / 4u] >> ((i & 3u) * 8u)) & 0xffu;
}
fn {{NAME}}8(row: u32, chunk: u32) -> Eight {
    let in_block = chunk & 31u;
    let j = in_block / 4u;
    let block = (row * ({{WIDTH}} / 256u) + chunk / 32u) * 36u;
    let at = block + 4u + (j / 2u) * 8u + (in_block & 3u) * 2u;
    let shift = (j & 1u) * 4u;
    var s: u32;
    var m: u32;
    if j < 4u {
        s = {{NAME}}_byte(block, j) & 63u;
        m = {{NAME}}_byte(block, j + 4u) & 63u;
    } else {
        let both = {{NAME}}_byte(block, j + 4u);
        s = (both & 15u) | (({{NAME}}_byte(block, j - 4u) >> 6u) << 4u);
        m = (both >> 4u) | (({{NAME}}_byte(block, j) >> 6u) << 4u);
    }
    let scales = unpack2x16float({{BUFFER}}[block]) * vec2<f32>(f32(s), f32(m));
    let low = vec4<f32>(unpack4xU8(({{BUFFER}}[at] >> shift) & 0x0f0f0f0fu));
    let high = vec4<f32>(unpack4xU8(({{BUFFER}}[at + 1u] >> shift) & 0x0f0f0f0fu));
    return Eight(scales.x * low - scales.y, scales.x * high - scales.y);
}
