// Q4_0: 32 values in 18 bytes, an f16 scale and 16 bytes of nibbles (low: values 0 to 15); value = scale * (q - 8).
//# include shared/bytes.wgsl
fn {{NAME}}8(row: u32, chunk: u32) -> Eight {
    let block = (row * ({{WIDTH}} / 32u) + chunk / 4u) * 18u;
    let at = block + 2u + (chunk & 1u) * 8u;
    let shift = (chunk & 2u) * 2u;
    let scale = {{NAME}}_float(block);
    let low = vec4<f32>(unpack4xU8(({{NAME}}_word(at) >> shift) & 0x0f0f0f0fu));
    let high = vec4<f32>(unpack4xU8(({{NAME}}_word(at + 4u) >> shift) & 0x0f0f0f0fu));
    return Eight(scale * (low - 8.0), scale * (high - 8.0));
}
