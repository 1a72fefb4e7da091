// Eight consecutive bf16 values of row `row`, from element 8 * chunk: the high halves of f32. Zero past
// the row's end.
fn {{NAME}}_at(i: u32) -> f32 {
    let word = {{BUFFER}}[i >> 3u][(i >> 1u) & 3u];
    return bitcast<f32>(select(word << 16u, word & 0xffff0000u, (i & 1u) == 1u));
}
fn {{NAME}}8(row: u32, chunk: u32) -> Eight {
    if EIGHTS {
        let words = {{BUFFER}}[(row * {{WIDTH}} + chunk * 8u) >> 3u];
        let even = bitcast<vec4<f32>>(words << vec4(16u));
        let odd = bitcast<vec4<f32>>(words & vec4(0xffff0000u));
        return Eight(vec4(even.x, odd.x, even.y, odd.y), vec4(even.z, odd.z, even.w, odd.w));
    }
//# include shared/rows_rest.wgsl
}
