// Rotates pairs of x by (start + t) * frequencies[i], in place: pairs are (2i, 2i + 1), or (i, i + R/2) where not adjacent.
// Values past R pass through.
//# if DTYPE == f16
enable f16;
//# end
struct Uniforms { T: u32, H: u32, D: u32, R: u32, start: u32, adjacent: u32, pad0: u32, pad1: u32 }
@group(0) @binding(0) var<uniform> u: Uniforms;
@group(0) @binding(1) var<storage, read_write> x: array<{{DTYPE}}>;
@group(0) @binding(2) var<storage, read> frequencies: array<f32>;

//# include shared/angle.wgsl

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let item = (group.x + group.y * groups.x) * 64u + index;
    let pairs = u.R / 2u;
    let head = item / pairs;
    if head >= u.T * u.H { return; }
    let i = item % pairs;
    let turn = angle(u.start + head / u.H, frequencies[i]);
    let first = head * u.D + select(i, 2u * i, u.adjacent != 0u);
    let second = first + select(pairs, 1u, u.adjacent != 0u);
    let a = f32(x[first]);
    let b = f32(x[second]);
    x[first] = {{DTYPE}}(a * cos(turn) - b * sin(turn));
    x[second] = {{DTYPE}}(a * sin(turn) + b * cos(turn));
}
