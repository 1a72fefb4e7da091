// Greedy choice: each of PARTS workgroups finds the largest logit of its part of a row; `reduce.wgsl` joins the parts.
// Of equals the lowest id wins; NaN never does.
//# if DTYPE == f16
enable f16;
//# end
struct Uniforms { T: u32, V: u32, pad0: u32, pad1: u32 }
@group(0) @binding(0) var<uniform> u: Uniforms;
@group(0) @binding(1) var<storage, read> logits: array<{{DTYPE}}>;
@group(0) @binding(3) var<storage, read_write> best: array<f32>;
@group(0) @binding(4) var<storage, read_write> ids: array<u32>;

const SIZE = 128u;
const PARTS = 32u;
//# include sample/larger.wgsl

@compute @workgroup_size(128)
fn {{ENTRY}}(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) index: u32) {
    let row = group.y * u.V;
    let part = (u.V + PARTS - 1u) / PARTS;
    let begin = min(group.x * part, u.V);
    let end = min(begin + part, u.V);
    var mine = Choice(LOWEST, NO_ID);
    for (var i = begin + index; i < end; i += SIZE) {
        mine = larger(mine, Choice(ordered(f32(logits[row + i])), i));
    }
    let winner = reduce_choice(index, mine);
    if index == 0u {
        best[group.y * PARTS + group.x] = winner.value;
        ids[group.y * PARTS + group.x] = winner.id;
    }
}
