// Raw blocks as ggml stores them start at even byte offsets only, so words may straddle two u32.
fn {{NAME}}_half(at: u32) -> u32 {
    return ({{BUFFER}}[at >> 2u] >> ((at & 2u) * 8u)) & 0xffffu;
}
fn {{NAME}}_word(at: u32) -> u32 {
    let low = {{BUFFER}}[at >> 2u];
    if (at & 2u) == 0u { return low; }
    return (low >> 16u) | ({{BUFFER}}[(at >> 2u) + 1u] << 16u);
}
fn {{NAME}}_float(at: u32) -> f32 {
    return unpack2x16float({{NAME}}_half(at)).x;
}
