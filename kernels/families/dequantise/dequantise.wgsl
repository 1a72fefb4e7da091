// A quantised matrix as plain numbers, 8 values an invocation.
//# if OUTPUT == f16
enable f16;
//# end
struct Uniforms { T: u32, D: u32, pad0: u32, pad1: u32 }
@group(0) @binding(0) var<uniform> u: Uniforms;
@group(0) @binding(1) var<storage, read> x: array<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<{{OUTPUT}}>;

//# include shared/eight.wgsl
//# include shared/rows_{{INPUT}}.wgsl NAME=values BUFFER=x WIDTH=u.D

@compute @workgroup_size(64)
fn {{ENTRY}}(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let item = (group.x + group.y * groups.x) * 64u + index;
    let chunks = u.D / 8u;
    if item / chunks >= u.T { return; }
    let values = values8(item / chunks, item % chunks);
    for (var j = 0u; j < 4u; j++) {
        out[item * 8u + j] = {{OUTPUT}}(values.low[j]);
        out[item * 8u + 4u + j] = {{OUTPUT}}(values.high[j]);
    }
}
