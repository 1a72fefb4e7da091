// Rows t of k and v become rows start + t of their caches.
//# if CACHE == f16
enable f16;
//# end
struct Uniforms { size: u32, W: u32, start: u32, pad0: u32 }
@group(0) @binding(0) var<uniform> u: Uniforms;
@group(0) @binding(1) var<storage, read> k: array<{{DTYPE}}>;
@group(0) @binding(2) var<storage, read> v: array<{{DTYPE}}>;
@group(0) @binding(3) var<storage, read_write> k_cache: array<{{CACHE}}>;
@group(0) @binding(4) var<storage, read_write> v_cache: array<{{CACHE}}>;

@compute @workgroup_size(128)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let i = (group.x + group.y * groups.x) * 128u + index;
    if i >= u.size { return; }
    let at = u.start * u.W + i;
    k_cache[at] = {{CACHE}}(k[i]);
    v_cache[at] = {{CACHE}}(v[i]);
}
