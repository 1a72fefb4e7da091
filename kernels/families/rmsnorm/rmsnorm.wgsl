// out = x / sqrt(mean(x * x) + eps) * (weight + offset), a workgroup per row, sums in f32.
//# if DTYPE == f16
enable f16;
//# end
struct Uniforms { T: u32, D: u32, eps: f32, offset: f32 }
@group(0) @binding(0) var<uniform> u: Uniforms;
@group(0) @binding(1) var<storage, read> x: array<{{DTYPE}}>;
@group(0) @binding(2) var<storage, read> weight: array<f32>;
@group(0) @binding(3) var<storage, read_write> out: array<{{DTYPE}}>;

const SIZE = 128u;
//# include shared/reduce.wgsl

@compute @workgroup_size(128)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let row = group.x + group.y * groups.x;
    if row >= u.T { return; }
    let start = row * u.D;
    var total = 0.0;
    for (var i = index; i < u.D; i += SIZE) {
        let value = f32(x[start + i]);
        total += value * value;
    }
    total = reduce_sum(index, total);
    var scale = 1.0;
    if is_not_finite(total) {
        // Finite values may have squares past f32: without this the row would come out as zeros, and nobody would notice.
        var largest = 0.0;
        for (var i = index; i < u.D; i += SIZE) {
            largest = max(largest, abs(f32(x[start + i])));
        }
        largest = reduce_max(index, largest);
        if !is_not_finite(largest) && !is_nan(total) {
            scale = 1.0 / largest;
            total = 0.0;
            for (var i = index; i < u.D; i += SIZE) {
                let value = f32(x[start + i]) * scale;
                total += value * value;
            }
            total = reduce_sum(index, total);
        }
    }
    let inverse = 1.0 / sqrt(total / f32(u.D) + u.eps * scale * scale);
    for (var i = index; i < u.D; i += SIZE) {
        out[start + i] = {{DTYPE}}(f32(x[start + i]) * scale * inverse * (weight[i] + u.offset));
    }
}
