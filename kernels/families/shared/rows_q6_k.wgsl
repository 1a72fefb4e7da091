// Q6_K: 256 values in 210 bytes: 128 bytes of low nibbles, 64 of high bit pairs, 16 signed scales, an f16 scale.
// value = scale * s[i] * (q - 32). Each half of 128 values has four quarters of 32: nibble and bit pair depend on it.
//# include shared/bytes.wgsl
fn {{NAME}}_six(low: u32, high: u32) -> vec4<f32> {
    return vec4<f32>(unpack4xU8((low & 0x0f0f0f0fu) | ((high & 0x03030303u) << 4u))) - 32.0;
}
fn {{NAME}}8(row: u32, chunk: u32) -> Eight {
    let in_block = chunk & 31u;
    let half = in_block / 16u;
    let quarter = (in_block / 4u) & 3u;
    let l = (in_block & 3u) * 8u;
    let block = (row * ({{WIDTH}} / 256u) + chunk / 32u) * 210u;
    let nibbles = block + 64u * half + 32u * (quarter & 1u) + l;
    let pairs = block + 128u + 32u * half + l;
    let index = 8u * half + 2u * quarter + l / 16u;
    let byte = {{NAME}}_half(block + 192u + (index & 14u)) >> ((index & 1u) * 8u);
    let scale = {{NAME}}_float(block + 208u) * f32(extractBits(bitcast<i32>(byte), 0u, 8u));
    let shift = (quarter & 2u) * 2u;
    let low = {{NAME}}_six({{NAME}}_word(nibbles) >> shift, {{NAME}}_word(pairs) >> (2u * quarter));
    let high = {{NAME}}_six({{NAME}}_word(nibbles + 4u) >> shift, {{NAME}}_word(pairs + 4u) >> (2u * quarter));
    return Eight(scale * low, scale * high);
}
