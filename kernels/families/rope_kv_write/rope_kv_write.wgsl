// Takes rows of q, k and v side by side: q turned goes to `q`, k turned and v as it is go to their caches. One invocation
// moves one pair of one head of q, k or v.
//# if CACHE == f16
enable f16;
//# end
struct Uniforms { T: u32, H: u32, KV: u32, D: u32, R: u32, start: u32, adjacent: u32, pad0: u32 }
@group(0) @binding(0) var<uniform> u: Uniforms;
@group(0) @binding(1) var<storage, read> qkv: array<f32>;
@group(0) @binding(2) var<storage, read> frequencies: array<f32>;
@group(0) @binding(3) var<storage, read_write> q: array<f32>;
@group(0) @binding(4) var<storage, read_write> k_cache: array<{{CACHE}}>;
@group(0) @binding(5) var<storage, read_write> v_cache: array<{{CACHE}}>;

//# include shared/angle.wgsl

fn store(t: u32, head: u32, d: u32, value: f32) {
    let row = u.start + t;
    if head < u.H {
        q[(t * u.H + head) * u.D + d] = value;
    } else if head < u.H + u.KV {
        k_cache[(row * u.KV + head - u.H) * u.D + d] = {{CACHE}}(value);
    } else {
        v_cache[(row * u.KV + head - u.H - u.KV) * u.D + d] = {{CACHE}}(value);
    }
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let item = (group.x + group.y * groups.x) * 64u + index;
    let pairs = (u.D + 1u) / 2u;
    let heads = u.H + 2u * u.KV;
    let t = item / (pairs * heads);
    if t >= u.T { return; }
    let head = (item / pairs) % heads;
    let i = item % pairs;
    let origin = (t * heads + head) * u.D;
    if i >= u.R / 2u || head >= u.H + u.KV {
        // No turn: the pairs past R, and all of v, in order.
        store(t, head, 2u * i, qkv[origin + 2u * i]);
        if 2u * i + 1u < u.D { store(t, head, 2u * i + 1u, qkv[origin + 2u * i + 1u]); }
        return;
    }
    let turn = angle(u.start + t, frequencies[i]);
    let first = select(i, 2u * i, u.adjacent != 0u);
    let second = first + select(u.R / 2u, 1u, u.adjacent != 0u);
    let a = qkv[origin + first];
    let b = qkv[origin + second];
    store(t, head, first, a * cos(turn) - b * sin(turn));
    store(t, head, second, a * sin(turn) + b * cos(turn));
}
