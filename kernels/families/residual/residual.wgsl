// out = a + b, added in f32.
//# if DTYPE == f16
enable f16;
//# end
struct Uniforms { size: u32, pad0: u32, pad1: u32, pad2: u32 }
@group(0) @binding(0) var<uniform> u: Uniforms;
@group(0) @binding(1) var<storage, read> a: array<{{DTYPE}}>;
@group(0) @binding(2) var<storage, read> b: array<{{DTYPE}}>;
@group(0) @binding(3) var<storage, read_write> out: array<{{DTYPE}}>;

@compute @workgroup_size(128)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let i = (group.x + group.y * groups.x) * 128u + index;
    if i < u.size { out[i] = {{DTYPE}}(f32(a[i]) + f32(b[i])); }
}
