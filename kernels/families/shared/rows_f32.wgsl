// Eight consecutive f32 values of row `row`, from element 8 * chunk; zero past the row's end.
fn {{NAME}}_at(i: u32) -> f32 {
    return {{BUFFER}}[i >> 2u][i & 3u];
}
fn {{NAME}}8(row: u32, chunk: u32) -> Eight {
    if EIGHTS {
        let at = (row * {{WIDTH}} + chunk * 8u) >> 2u;
        return Eight({{BUFFER}}[at], {{BUFFER}}[at + 1u]);
    }
//# include shared/rows_rest.wgsl
}
