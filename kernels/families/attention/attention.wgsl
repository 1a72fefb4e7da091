// softmax(scale * Q * transpose(K)) * V for four query rows that share a key head, over the keys they see, 128 keys at a
// time with a running maximum. A row is one head of one token; rows of a key head are numbered t * (H / KV) + head.
// Scores: a key an invocation. Sums of values: 8 of the D values an invocation, keys dealt out among `slices`.
// SPLIT: the keys are dealt out among PARTS workgroups too, and `reduce.wgsl` joins what they leave in `parts`.
//# if OUTPUT == f16
enable f16;
//# end
struct Uniforms {
    T: u32, S: u32, H: u32, KV: u32, D: u32, start: u32, window: u32, causal: u32,
    scale: f32, softcap: f32, pad0: u32, pad1: u32,
}
@group(0) @binding(0) var<uniform> u: Uniforms;
@group(0) @binding(1) var<storage, read> Q: array<{{Q_TYPE}}>;
@group(0) @binding(2) var<storage, read> K: array<{{KV_TYPE}}>;
@group(0) @binding(3) var<storage, read> V: array<{{KV_TYPE}}>;
//# if SPLIT == keys
@group(0) @binding(5) var<storage, read_write> parts: array<f32>;
@group(0) @binding(6) var<storage, read_write> sums: array<vec2<f32>>;
override PARTS: u32 = 32;
//# else
@group(0) @binding(4) var<storage, read_write> O: array<{{OUTPUT}}>;
//# end
override WIDTH: u32 = 512;   // at least D
override WIDE: bool = true;  // four loads are on their way before the first is used: worth its code on a GPU

//# include shared/eight.wgsl
//# include shared/rows_{{Q}}.wgsl NAME=queries BUFFER=Q WIDTH=u.D
//# include shared/rows_{{CACHE}}.wgsl NAME=keys BUFFER=K WIDTH=u.D
//# include shared/rows_{{CACHE}}.wgsl NAME=values BUFFER=V WIDTH=u.D

const LOWEST = -3.4028234663852886e38;
const SIZE = 128u;
const NEVER = vec2<u32>(0u, 0u);

var<workgroup> query: array<vec4<f32>, WIDTH>;  // value d of the four rows, scaled
var<workgroup> weights: array<vec4<f32>, 128>;  // the four rows' weights of each key of the chunk
var<workgroup> slots: array<vec4<f32>, 1024>;   // for reductions, and to join the slices' sums

// The keys that row r sees, from x up to y.
fn visible(row: u32, group_size: u32) -> vec2<u32> {
    if row >= u.T * group_size { return NEVER; }
    let position = u.start + row / group_size;
    var begin = 0u;
    var end = u.S;
    if u.causal != 0u {
        end = min(u.S, position + 1u);
        if u.window > 0u { begin = position + 1u - min(u.window, position + 1u); }
    } else if u.window > 0u {
        begin = position - min(u.window / 2u, position);
        end = min(u.S, position + u.window / 2u + 1u);
    }
    return vec2(begin, max(begin, end));
}

fn reduce_max(index: u32, value: vec4<f32>) -> vec4<f32> {
    slots[index] = value;
    workgroupBarrier();
    for (var half = SIZE / 2u; half > 0u; half /= 2u) {
        if index < half { slots[index] = max(slots[index], slots[index + half]); }
        workgroupBarrier();
    }
    let largest = slots[0];
    workgroupBarrier();
    return largest;
}

fn reduce_sum(index: u32, value: vec4<f32>) -> vec4<f32> {
    slots[index] = value;
    workgroupBarrier();
    for (var half = SIZE / 2u; half > 0u; half /= 2u) {
        if index < half { slots[index] += slots[index + half]; }
        workgroupBarrier();
    }
    let total = slots[0];
    workgroupBarrier();
    return total;
}

// The sums of values of the four rows: those of this invocation's slice and chunk.
var<private> a0: Eight;
var<private> a1: Eight;
var<private> a2: Eight;
var<private> a3: Eight;

fn add(v: Eight, w: vec4<f32>) {
    a0 = Eight(a0.low + w.x * v.low, a0.high + w.x * v.high);
    a1 = Eight(a1.low + w.y * v.low, a1.high + w.y * v.high);
    a2 = Eight(a2.low + w.z * v.low, a2.high + w.z * v.high);
    a3 = Eight(a3.low + w.w * v.low, a3.high + w.w * v.high);
}

fn score8(k: Eight, c: u32) -> vec4<f32> {
    return k.low.x * query[c * 8u] + k.low.y * query[c * 8u + 1u]
         + k.low.z * query[c * 8u + 2u] + k.low.w * query[c * 8u + 3u]
         + k.high.x * query[c * 8u + 4u] + k.high.y * query[c * 8u + 5u]
         + k.high.z * query[c * 8u + 6u] + k.high.w * query[c * 8u + 7u];
}

fn output_row(row: u32, group_size: u32, key_head: u32) -> u32 {
    return (row / group_size) * u.H + key_head * group_size + row % group_size;
}

@compute @workgroup_size(128)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) index: u32) {
    let group_size = u.H / u.KV;
    let row = group.x * 4u;
    let key_head = group.y;
    let chunks = (u.D + 7u) / 8u;
    for (var i = index; i < 4u * chunks; i += SIZE) {
        let r = i & 3u;
        var e: Eight;
        if row + r < u.T * group_size { e = queries8(output_row(row + r, group_size, key_head), i >> 2u); }
        for (var j = 0u; j < 4u; j++) {
            query[(i >> 2u) * 8u + j][r] = e.low[j] * u.scale;
            query[(i >> 2u) * 8u + 4u + j][r] = e.high[j] * u.scale;
        }
    }
    workgroupBarrier();
    let seen0 = visible(row, group_size);
    let seen1 = visible(row + 1u, group_size);
    let seen2 = visible(row + 2u, group_size);
    let seen3 = visible(row + 3u, group_size);
    let begins = vec4(seen0.x, seen1.x, seen2.x, seen3.x);
    let ends = vec4(seen0.y, seen1.y, seen2.y, seen3.y);
    // Rows come in the order of their positions, so the first one sees the earliest key.
    var begin = seen0.x;
    var end = max(max(seen0.y, seen1.y), max(seen2.y, seen3.y));
//# if SPLIT == keys
    let share = max((end - begin + PARTS - 1u) / PARTS, 32u);
    begin = min(begin + group.z * share, end);
    end = min(begin + share, end);
//# end
    let slices = SIZE / chunks;
    let chunk = index % chunks;
    let slice = index / chunks;
    var largest = vec4(LOWEST);
    var total = vec4(0.0);
    for (var base = begin; base < end; base += SIZE) {
        let count = min(end - base, SIZE);
        var score = vec4(LOWEST);
        var sees = vec4(false);
        if index < count {
            let key = base + index;
            var s = vec4(0.0);
            var c = 0u;
            for (; WIDE && c + 3u < chunks; c += 4u) {
                let k0 = keys8(key * u.KV + key_head, c);
                let k1 = keys8(key * u.KV + key_head, c + 1u);
                let k2 = keys8(key * u.KV + key_head, c + 2u);
                let k3 = keys8(key * u.KV + key_head, c + 3u);
                s += score8(k0, c) + score8(k1, c + 1u) + score8(k2, c + 2u) + score8(k3, c + 3u);
            }
            for (; c < chunks; c++) {
                s += score8(keys8(key * u.KV + key_head, c), c);
            }
            if u.softcap > 0.0 { s = capped(s); }
            sees = (vec4(key) >= begins) & (vec4(key) < ends);
            score = select(vec4(LOWEST), s, sees);
        }
        let now = max(largest, reduce_max(index, score));
        let factor = exp(largest - now);
        let weight = select(vec4(0.0), exp(score - now), sees);
        weights[index] = weight;
        total = total * factor + weight;
        largest = now;
        a0 = Eight(factor.x * a0.low, factor.x * a0.high);
        a1 = Eight(factor.y * a1.low, factor.y * a1.high);
        a2 = Eight(factor.z * a2.low, factor.z * a2.high);
        a3 = Eight(factor.w * a3.low, factor.w * a3.high);
        workgroupBarrier();
        if slice < slices {
            var i = slice;
            for (; WIDE && i + 3u * slices < count; i += 4u * slices) {
                let v0 = values8((base + i) * u.KV + key_head, chunk);
                let v1 = values8((base + i + slices) * u.KV + key_head, chunk);
                let v2 = values8((base + i + 2u * slices) * u.KV + key_head, chunk);
                let v3 = values8((base + i + 3u * slices) * u.KV + key_head, chunk);
                add(v0, weights[i]);
                add(v1, weights[i + slices]);
                add(v2, weights[i + 2u * slices]);
                add(v3, weights[i + 3u * slices]);
            }
            for (; i < count; i += slices) {
                add(values8((base + i) * u.KV + key_head, chunk), weights[i]);
            }
        }
        workgroupBarrier();
    }
    total = reduce_sum(index, total);
    slots[index] = a0.low; slots[index + 128u] = a0.high;
    slots[index + 256u] = a1.low; slots[index + 384u] = a1.high;
    slots[index + 512u] = a2.low; slots[index + 640u] = a2.high;
    slots[index + 768u] = a3.low; slots[index + 896u] = a3.high;
    workgroupBarrier();
    for (var i = index; i < 4u * chunks; i += SIZE) {
        let r = i / chunks;
        if row + r >= u.T * group_size { continue; }
        var e = Eight();
        for (var s = 0u; s < slices; s++) {
            e.low += slots[r * 256u + s * chunks + i % chunks];
            e.high += slots[r * 256u + 128u + s * chunks + i % chunks];
        }
        let at = output_row(row + r, group_size, key_head);
//# if SPLIT == keys
        let to = group.z * u.T * u.H + at;
        if i % chunks == 0u { sums[to] = vec2(largest[r], total[r]); }
        store(to * u.D, i % chunks, e);
//# else
        // A row that sees no key is zero; a sum that is NaN stays NaN.
        let inverse = select(1.0 / total[r], 0.0, total[r] == 0.0);
        store(at * u.D, i % chunks, Eight(e.low * inverse, e.high * inverse));
//# end
    }
}

fn capped(s: vec4<f32>) -> vec4<f32> {
    let t = u.softcap * tanh(clamp(s / u.softcap, vec4(-12.0), vec4(12.0)));
    return select(s, t, s == s);
}

fn store(at: u32, chunk: u32, e: Eight) {
    let left = u.D - chunk * 8u;
    for (var j = 0u; j < min(left, 4u); j++) {
        {{INTO}}[at + chunk * 8u + j] = {{STORED}}(e.low[j]);
    }
    for (var j = 4u; j < min(left, 8u); j++) {
        {{INTO}}[at + chunk * 8u + j] = {{STORED}}(e.high[j - 4u]);
    }
}
