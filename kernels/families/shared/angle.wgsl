// position * frequency, reduced to about [-pi, pi] with an error near 1e-6 for positions below 131,072.
// A plain f32 product is off by up to half a unit in its last place, 2e-4 radians at position 8,192: so the frequency
// is cut into pieces of 7 bits, whose products are exact, and 2 pi into pieces whose multiples are (Cody and Waite).
fn reduced(p: f32) -> f32 {
    let n = round(p * 0.15915494309189535);
    return ((p - n * 6.28125) - n * 0.001934051513671875) - n * 1.2556659146019e-06;
}
fn angle(position: u32, frequency: f32) -> f32 {
    let p = f32(position);
    var rest = frequency;
    var total = 0.0;
    for (var i = 0u; i < 3u; i++) {
        let piece = bitcast<f32>(bitcast<u32>(rest) & 0xfffe0000u);
        rest -= piece;
        total += reduced(p * piece);
    }
    return reduced(total + reduced(p * rest));
}
