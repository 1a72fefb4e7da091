// out = act(gate) * up, or act(gate) alone where nothing gates; ACT names the activation.
//# if DTYPE == f16
enable f16;
//# end
struct Uniforms { size: u32, gated: u32, pad0: u32, pad1: u32 }
@group(0) @binding(0) var<uniform> u: Uniforms;
@group(0) @binding(1) var<storage, read> gate: array<{{DTYPE}}>;
@group(0) @binding(2) var<storage, read> up: array<{{DTYPE}}>;
@group(0) @binding(3) var<storage, read_write> out: array<{{DTYPE}}>;

//# include shared/activation.wgsl

@compute @workgroup_size(128)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let i = (group.x + group.y * groups.x) * 128u + index;
    if i >= u.size { return; }
    var value = {{ACT}}(f32(gate[i]));
    if u.gated != 0u { value *= f32(up[i]); }
    out[i] = {{DTYPE}}(value);
}
