// Eight consecutive f32 values of row `row`, from element 8 * chunk; zero past the row's end.
fn {{NAME}}8(row: u32, chunk: u32) -> Eight {
    let start = row * {{WIDTH}} + chunk * 8u;
    if ({{WIDTH}} & 7u) == 0u {
        return Eight({{BUFFER}}[start >> 2u], {{BUFFER}}[(start >> 2u) + 1u]);
    }
    var e: Eight;
    let left = {{WIDTH}} - min(chunk * 8u, {{WIDTH}});
    for (var j = 0u; j < min(left, 4u); j++) {
        e.low[j] = {{BUFFER}}[(start + j) >> 2u][(start + j) & 3u];
    }
    for (var j = 4u; j < min(left, 8u); j++) {
        e.high[j - 4u] = {{BUFFER}}[(start + j) >> 2u][(start + j) & 3u];
    }
    return e;
}
