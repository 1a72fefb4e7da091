// Eight consecutive f16 values of row `row`, from element 8 * chunk, widened to f32; zero past the row's end.
// The buffer is read 16 bytes at a time and unpacked, which needs no shader-f16 and keeps loads wide.
fn {{NAME}}_at(i: u32) -> f32 {
    let pair = unpack2x16float({{BUFFER}}[i >> 3u][(i >> 1u) & 3u]);
    return select(pair.x, pair.y, (i & 1u) == 1u);
}
fn {{NAME}}8(row: u32, chunk: u32) -> Eight {
    if EIGHTS {
        let words = {{BUFFER}}[(row * {{WIDTH}} + chunk * 8u) >> 3u];
        return Eight(
            vec4<f32>(unpack2x16float(words.x), unpack2x16float(words.y)),
            vec4<f32>(unpack2x16float(words.z), unpack2x16float(words.w)));
    }
//# include shared/rows_rest.wgsl
}
