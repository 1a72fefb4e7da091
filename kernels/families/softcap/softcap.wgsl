// logits = cap * tanh(logits / cap), in place; no cap where it is 0.
//# if DTYPE == f16
enable f16;
//# end
struct Uniforms { size: u32, softcap: f32, pad0: u32, pad1: u32 }
@group(0) @binding(0) var<uniform> u: Uniforms;
@group(0) @binding(1) var<storage, read_write> logits: array<{{DTYPE}}>;

//# include shared/finite.wgsl

@compute @workgroup_size(128)
fn apply_softcap(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let i = (group.x + group.y * groups.x) * 128u + index;
    if i >= u.size || u.softcap == 0.0 { return; }
    let value = f32(logits[i]);
    if is_nan(value) { return; }  // clamp would swallow it
    logits[i] = {{DTYPE}}(u.softcap * tanh(clamp(value / u.softcap, -12.0, 12.0)));
}
