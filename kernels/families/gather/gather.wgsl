// out[t] = scale * table[tokens[t] - first], 8 values an invocation; rows of tokens outside the table stay as they are.
//# if OUTPUT == f16
enable f16;
//# end
struct Uniforms { T: u32, V: u32, D: u32, first: u32, scale: f32, pad0: u32, pad1: u32, pad2: u32 }
@group(0) @binding(0) var<uniform> u: Uniforms;
@group(0) @binding(1) var<storage, read> tokens: array<u32>;
@group(0) @binding(2) var<storage, read> table: array<{{TABLE_TYPE}}>;
@group(0) @binding(3) var<storage, read_write> out: array<{{OUTPUT}}>;

//# include shared/eight.wgsl
//# include shared/rows_{{TABLE}}.wgsl NAME=values BUFFER=table WIDTH=u.D

@compute @workgroup_size(64)
fn {{ENTRY}}(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let item = (group.x + group.y * groups.x) * 64u + index;
    let chunks = (u.D + 7u) / 8u;
    let t = item / chunks;
    if t >= u.T { return; }
    let token = tokens[t];
    if token < u.first || token - u.first >= u.V { return; }
    let chunk = item % chunks;
    let values = values8(token - u.first, chunk);
    let at = t * u.D + chunk * 8u;
    let left = u.D - chunk * 8u;
    for (var j = 0u; j < min(left, 4u); j++) {
        out[at + j] = {{OUTPUT}}(u.scale * values.low[j]);
    }
    for (var j = 4u; j < min(left, 8u); j++) {
        out[at + j] = {{OUTPUT}}(u.scale * values.high[j - 4u]);
    }
}
