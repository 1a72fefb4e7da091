// The gate's activation: 0 is silu, x / (1 + exp(-x)); 1 is gelu in its tanh form.
// tanh is saturated by hand: drivers compute it from exp, which overflows to NaN for large arguments. NaN passes.
fn silu(x: f32) -> f32 {
    return x / (1.0 + exp(-x));
}
fn gelu(x: f32) -> f32 {
    let inner = 0.7978845608028654 * (x + 0.044715 * x * x * x);
    return 0.5 * x * (1.0 + tanh(clamp(inner, -12.0, 12.0)));
}
