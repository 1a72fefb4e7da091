// sum = residual + x, out = norm of sum: a workgroup per row; each invocation meets only values that it wrote itself.
struct Uniforms { T: u32, D: u32, eps: f32, offset: f32 }
@group(0) @binding(0) var<uniform> u: Uniforms;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read> residual: array<f32>;
@group(0) @binding(3) var<storage, read> weight: array<f32>;
@group(0) @binding(4) var<storage, read_write> sum: array<f32>;
@group(0) @binding(5) var<storage, read_write> out: array<f32>;

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
    var largest = 0.0;
    for (var i = index; i < u.D; i += SIZE) {
        let value = residual[start + i] + x[start + i];
        sum[start + i] = value;
        total += value * value;
        largest = max(largest, abs(value));
    }
    total = reduce_sum(index, total);
    var scale = 1.0;
    if is_not_finite(total) && !is_nan(total) {
        largest = reduce_max(index, largest);
        if !is_not_finite(largest) {
            scale = 1.0 / largest;
            total = 0.0;
            for (var i = index; i < u.D; i += SIZE) {
                let value = sum[start + i] * scale;
                total += value * value;
            }
            total = reduce_sum(index, total);
        }
    }
    let inverse = 1.0 / sqrt(total / f32(u.D) + u.eps * scale * scale);
    for (var i = index; i < u.D; i += SIZE) {
        out[start + i] = sum[start + i] * scale * inverse * (weight[i] + u.offset);
    }
}
