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
