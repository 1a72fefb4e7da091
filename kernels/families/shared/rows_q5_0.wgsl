// Q5_0: 32 values in 22 bytes, an f16 scale, 32 fifth bits, 16 bytes of nibbles; value = scale * (q - 16).
//# include shared/bytes.wgsl
fn {{NAME}}_fifth(bits: u32) -> vec4<f32> {
    return vec4<f32>((vec4(bits) >> vec4(0u, 1u, 2u, 3u)) & vec4(1u)) * 16.0;
}
fn {{NAME}}8(row: u32, chunk: u32) -> Eight {
    let in_block = chunk & 3u;
    let block = (row * ({{WIDTH}} / 32u) + chunk / 4u) * 22u;
    let at = block + 6u + (in_block & 1u) * 8u;
    let shift = (in_block & 2u) * 2u;
    let scale = {{NAME}}_float(block);
    let fifths = {{NAME}}_word(block + 2u) >> (8u * in_block);
    let low = vec4<f32>(unpack4xU8(({{NAME}}_word(at) >> shift) & 0x0f0f0f0fu)) + {{NAME}}_fifth(fifths);
    let high = vec4<f32>(unpack4xU8(({{NAME}}_word(at + 4u) >> shift) & 0x0f0f0f0fu)) + {{NAME}}_fifth(fifths >> 4u);
    return Eight(scale * (low - 16.0), scale * (high - 16.0));
}
