// Eight consecutive f32 values of row `row`, from element 8 * chunk; zero past the row's end.
fn {{NAME}}_at(i: u32) -> f32 {
    return {{BUFFER}}[i >> 2u][i & 3u];
}
fn {{NAME}}8(row: u32, chunk: u32) -> Eight {
    if EIGHTS {
        let at = (row * {{WIDTH}} + chunk * 8u) >> 2u;
        return Eight({{BUFFER}}[at], {{BUFFER}}[at + 1u]);
    }
    let start = row * {{WIDTH}} + chunk * 8u;
    let left = {{WIDTH}} - min(chunk * 8u, {{WIDTH}});
    var e: Eight;
    for (var j = 0u; j < min(left, 4u); j++) {
        e.low[j] = {{NAME}}_at(start + j);
    }
    for (var j = 4u; j < min(left, 8u); j++) {
        e.high[j - 4u] = {{NAME}}_at(start + j);
    }
    return e;
}
