// Eight consecutive f32 values of row `row`, from element 8 * chunk.
fn {{NAME}}8(row: u32, chunk: u32) -> Eight {
    let at = (row * {{WIDTH}} + chunk * 8u) >> 2u;
    return Eight({{BUFFER}}[at], {{BUFFER}}[at + 1u]);
}
fn {{NAME}}_at(i: u32) -> f32 {
    return {{BUFFER}}[i >> 2u][i & 3u];
}
// The same where rows are no multiple of eight, and so not aligned; zero past the row's end.
fn {{NAME}}8_any(row: u32, chunk: u32) -> Eight {
    if ({{WIDTH}} & 7u) == 0u { return {{NAME}}8(row, chunk); }
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
