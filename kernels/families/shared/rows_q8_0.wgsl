// Q8_0: 32 values in 34 bytes, an f16 scale and 32 signed bytes; value = scale * q.
//# include shared/bytes.wgsl
fn {{NAME}}8(row: u32, chunk: u32) -> Eight {
    let block = (row * ({{WIDTH}} / 32u) + chunk / 4u) * 34u;
    let at = block + 2u + (chunk & 3u) * 8u;
    let scale = {{NAME}}_float(block);
    let low = vec4<f32>(unpack4xI8({{NAME}}_word(at)));
    let high = vec4<f32>(unpack4xI8({{NAME}}_word(at + 4u)));
    return Eight(scale * low, scale * high);
}
