// Joins the parts of a row that `argmax.wgsl` left behind.
struct Uniforms { T: u32, V: u32, pad0: u32, pad1: u32 }
@group(0) @binding(0) var<uniform> u: Uniforms;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;
@group(0) @binding(3) var<storage, read_write> best: array<f32>;
@group(0) @binding(4) var<storage, read_write> ids: array<u32>;

const SIZE = 32u;
//# include sample/larger.wgsl

@compute @workgroup_size(32)
fn {{ENTRY}}(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) index: u32) {
    let at = group.x * SIZE + index;
    let winner = reduce_choice(index, Choice(best[at], ids[at]));
    if index == 0u { out[group.x] = winner.id; }
}
