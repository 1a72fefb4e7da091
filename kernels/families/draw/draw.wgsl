// Draws a token of each row: softmax at a temperature, cut to the top_k likeliest and then to the least of them that hold
// top_p of what is left, and of these the one in which `random` of their sum falls, likeliest first, of equals the lowest
// id first. Nothing is sorted: thresholds are found bit by bit, on keys that order f32 as unsigned integers do.
//# if DTYPE == f16
enable f16;
//# end
struct Uniforms { T: u32, V: u32, top_k: u32, top_p: f32, temperature: f32, random: f32, pad0: u32, pad1: u32 }
@group(0) @binding(0) var<uniform> u: Uniforms;
@group(0) @binding(1) var<storage, read> logits: array<{{DTYPE}}>;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;

const SIZE = 256u;
//# include shared/reduce.wgsl

var<private> base: u32;      // of the row in `logits`
var<private> top: f32;       // its largest logit
var<private> divisor: f32;   // the temperature
var<private> lowest: u32;    // the least key that top_k allows
var<private> ties: f32;      // how many logits of that key it allows

fn value(i: u32) -> f32 {
    let x = f32(logits[base + i]);
    if is_nan(x) { return bitcast<f32>(0xff800000u); }
    return select(x, 0.0, x == 0.0);  // one zero, so that equals have one key
}
fn key(x: f32) -> u32 {
    let bits = bitcast<u32>(x);
    return select(bits | 0x80000000u, ~bits, bits >= 0x80000000u);
}
fn unkey(k: u32) -> f32 {
    return bitcast<f32>(select(~k, k & 0x7fffffffu, k >= 0x80000000u));
}
fn chance(x: f32) -> f32 {
    if is_not_finite(top) { return select(0.0, 1.0, x == top); }  // the limit of the softmax
    return exp((x - top) / divisor);
}

// How many logits have keys from `least` on.
fn count_from(index: u32, least: u32) -> f32 {
    var count = 0.0;
    for (var i = index; i < u.V; i += SIZE) {
        count += select(0.0, 1.0, key(value(i)) >= least);
    }
    return reduce_sum(index, count);
}

// The chances of keys from `least` on, of those that top_k allows.
fn mass_from(index: u32, least: u32) -> f32 {
    var mass = 0.0;
    for (var i = index; i < u.V; i += SIZE) {
        let x = value(i);
        let k = key(x);
        if k >= least && k > lowest { mass += chance(x); }
    }
    mass = reduce_sum(index, mass);
    return mass + select(0.0, ties * chance(unkey(lowest)), least <= lowest);
}

// The largest key from which on the chances sum to more than `wanted`, or to as much where `reached` is enough.
fn threshold(index: u32, wanted: f32, reached: bool) -> u32 {
    var found = 0u;
    for (var bit = 0x80000000u; bit > 0u; bit >>= 1u) {
        let mass = mass_from(index, found | bit);
        if mass > wanted || (reached && mass == wanted) { found |= bit; }
    }
    return max(found, lowest);
}

// The id of the n-th logit of a key, in the order of ids: each invocation counts a run of ids of its own.
fn nth(index: u32, wanted: u32, n: f32) -> u32 {
    let run = (u.V + SIZE - 1u) / SIZE;
    let begin = min(index * run, u.V);
    let end = min(begin + run, u.V);
    var mine = 0.0;
    var last = 0.0;
    for (var i = begin; i < end; i++) {
        if key(value(i)) == wanted { mine += 1.0; last = f32(i); }
    }
    reduction[index] = mine;
    workgroupBarrier();
    var before = 0.0;
    for (var i = 0u; i < index; i++) { before += reduction[i]; }
    workgroupBarrier();
    var id = -1.0;
    if before <= n && n < before + mine {
        for (var i = begin; i < end; i++) {
            if key(value(i)) == wanted {
                if before == n { id = f32(i); }
                before += 1.0;
            }
        }
    }
    return u32(max(reduce_max(index, id + 1.0) - 1.0, 0.0));
}

@compute @workgroup_size(256)
fn {{ENTRY}}(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) index: u32) {
    base = group.x * u.V;
    divisor = select(u.temperature, 1.0, u.temperature <= 0.0);
    let allowed = select(select(u.top_k, u.V, u.top_k == 0u || u.top_k > u.V), 1u, u.temperature <= 0.0);
    lowest = 0u;
    for (var bit = 0x80000000u; bit > 0u; bit >>= 1u) {
        if count_from(index, lowest | bit) >= f32(allowed) { lowest |= bit; }
    }
    var largest = 0.0;
    for (var i = index; i < u.V; i += SIZE) {
        largest = max(largest, f32(key(value(i)) >> 16u));
    }
    let high = u32(reduce_max(index, largest));
    largest = 0.0;
    for (var i = index; i < u.V; i += SIZE) {
        let k = key(value(i));
        if k >> 16u == high { largest = max(largest, f32(k & 0xffffu)); }
    }
    top = unkey((high << 16u) | u32(reduce_max(index, largest)));
    ties = f32(allowed) - select(count_from(index, lowest + 1u), 0.0, lowest == 0xffffffffu);
    let wanted = u.top_p * mass_from(index, 0u);
    let last = min(threshold(index, wanted, true), key(top));  // top_p of 0 still leaves the likeliest
    // Of the logits at the last key only as many are kept as top_p needs.
    let above = mass_from(index, last + 1u);
    let each = chance(unkey(last));
    var kept = ceil((wanted - above) / each);
    if !(kept >= 1.0) { kept = 1.0; }
    let equals = select(count_from(index, last) - count_from(index, last + 1u), ties, last == lowest);
    let whole = above + min(kept, equals) * each;
    let point = u.random * whole;
    let at = max(threshold(index, point, false), last);
    let beyond = mass_from(index, at + 1u);
    var n = floor((point - beyond) / chance(unkey(at)));
    if !(n >= 0.0) { n = 0.0; }
    let most = select(count_from(index, at) - count_from(index, at + 1u), min(kept, equals), at == last);
    let id = nth(index, at, min(n, most - 1.0));
    if index == 0u { out[group.x] = id; }
}
