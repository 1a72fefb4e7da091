"""What tells the packs apart on each of the 72 recorded defects, and what strict says to them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Told:
    """One defect: the strict rules, or the operations, that tell the packs apart; and what strict reports.

    `part` is where the two values differ, for what both packs accept; `says` has the messages of strict's errors, or of
    its warnings where it accepts. Several rules are there where one alone would still refuse the request.
    """

    rules: tuple[str, ...] = ()
    operations: tuple[str, ...] = ()
    part: str = ""
    says: tuple[str, ...] = ()


PATH = "runtimeInferencePatch.kernelPath"
PIPELINE = "runtimeInferencePatch.pipeline"
READS_HALF = "step `n` runs kernel `rmsnorm_f16.wgsl#main`, which reads f16, but slot `state` holds f32"
BY_COMPUTE = '{"activationDtype":"f16"}, but the graph compiles to {"activationDtype":"f32"}'
SOFTCAP = "the derived graph goes without `sample_f16.wgsl#apply_softcap`, of which the catalogue has no digest"

DEFECTS: dict[str, Told] = {
    "B01": Told(("layer-overrides/layer-override",), part=f"{PATH}.layerOverrides"),
    "B02": Told(("layer-overrides/layer-override",), part=f"{PATH}.layerOverrides"),
    "B03": Told(("path-lists/has-path",), part=PATH),
    "B04": Told(("path-lists/base-lists", "path-lists/base-keys", "layer-overrides/layer-override"), part=PATH),
    "B05": Told(("path-steps/in-decode-list", "path-steps/in-prefill-list"), part=PATH),
    "B06": Told(("path-steps/in-decode-list", "path-steps/in-prefill-list"), part=PATH),
    "B07": Told(("path-steps/path-step",), part=PATH),
    "B08": Told(("path-steps/path-step",), part=f"{PATH}.preLayer"),
    "B09": Told(
        ("pinning/op-takes-kernel",), says=("step 1 is `sample`, but kernel `rmsnorm.wgsl#main` is of `rmsnorm`",)
    ),
    "B10": Told(operations=("key order",), part=f"{PATH}.layerOverrides"),
    "B11": Told(("limits/whole-layers",), says=("the number of layers is `2`, not a whole number from 0",)),
    "B12": Told(operations=("pipeline by layer",), part=PIPELINE),
    "B13": Told(operations=("interleaved",), part=PIPELINE),
    "B14": Told(operations=("interleaved",), part=PIPELINE),
    "B15": Told(
        ("pipeline-steps/norm-weight", "pipeline-steps/slots-written"),
        says=(
            "step `a` is an rmsnorm of the layer pipeline without `weight`",
            "step `r` of the layer pipeline reads slot `nope`, which nothing writes",
        ),
    ),
    "B16": Told(operations=("own layers",), says=("step `n` reads slot `state` as f16, but it holds f32, in layer 3",)),
    "B17": Told(operations=("own layers",)),
    "B18": Told(operations=("own layers",), says=("step `c` reads slot `tmp` before it is produced, in layer 3",)),
    "B19": Told(
        operations=("layers in turn",), says=("step `n` reads slot `state` as f32, but it holds f16, in layer 1",)
    ),
    "B20": Told(operations=("no boundary",)),
    "B21": Told(operations=("no boundary",)),
    "B22": Told(
        operations=("layers in turn",), says=("cast step `d` takes f32, but slot `state` holds f16, in layer 1",)
    ),
    "B23": Told(operations=("carried",)),
    "B24": Told(operations=("no boundary",)),
    "B25": Told(("flow/cast-input",), says=("cast step `c` reads slot `state` as f16, but it holds f32, in layer 0",)),
    "B26": Told(operations=("parts in order",), says=("step `p` reads slot `x` before it is produced",)),
    "B27": Told(operations=("parts in order",)),
    "B28": Told(("flow/kernel-input",), says=(f"{READS_HALF}, in layers 0, 1",)),
    "B29": Told(
        ("flow/attention-input",),
        ("layers in turn",),
        says=(
            "step `a` runs kernel `attention_decode_online_f16kv.wgsl#main`, which reads f32, but slot `state` holds"
            " f16, in layer 0",
            "step `a` reads slot `state` as f16, but it holds f32, in layer 1",
        ),
    ),
    "B30": Told(operations=("attention by slot",)),
    "B31": Told(
        ("step-shape/known-op", "pinning/op-takes-kernel"), says=("step 0 has op `Attention`, which there is not",)
    ),
    "B32": Told(
        ("pinning/op-takes-kernel", "kv-agreement/attention-cache"),
        says=("step 0 is `attention`, but kernel `rmsnorm.wgsl#main` is of `rmsnorm`",),
    ),
    "B33": Told(
        ("kv-layout/attention-layout",),
        says=("attention step `a` runs in prefill, but the KV cache has layout `bdpa_paged`",),
    ),
    "B34": Told(("session-parts/known-layout",), says=("the KV cache has layout `zigzag`, which there is not",)),
    "B35": Told(
        ("kv-agreement/one-cache", "kv-agreement/attention-cache"),
        says=(
            "attention step `b` reads the KV cache as f16 and writes it as f16, but the first step that uses it reads"
            " f32",
            "step `b` runs kernel `attention_small.wgsl#main`, which reads an f32 cache, but the cache is f16",
        ),
    ),
    "B36": Told(("step-shape/layers-exist",), says=("step 1 runs on layers 99, but the model has 2",)),
    "B37": Told(("step-shape/layers-run",), says=("step 1 lists no layer, so it never runs",)),
    "B38": Told(("pinning/unique-trimmed-id",), says=("step ` a ` has the id of step 0, but for white space",)),
    "B39": Told(
        ("step-shape/known-members", "step-shape/member-types"),
        says=("step 0 has `kernal`, which nothing reads", "`precision` of step 0 is not an object"),
    ),
    "B40": Told(("pinning/harmless-id",), says=("step 0 has the id `__proto__`",)),
    "B41": Told(("policies/known-values",), says=("policy `unsupportedPrecision` is `Error`, which it cannot be",)),
    "B42": Told(("policies/policies-object",), says=("`policies` is `abc`, not an object",)),
    "B43": Told(
        ("policies/known-values",), says=("policy `precisionPrecedence` is `session_first`, which it cannot be",)
    ),
    "B44": Told(operations=("nothing stripped",), part="sessionDefaults.compute.defaults"),
    "B45": Told(operations=("nothing stripped",), part="sessionDefaults"),
    "B46": Told(
        ("resolved-session/decode-loop-sizes", "resolved-session/stop-check-mode", "resolved-session/command-batching"),
        says=(
            "`batchSize` of the overlay's decode loop is not a whole number of at least 1",
            "`stopCheckMode` of the overlay's decode loop is `sometimes`, not a mode",
            "`disableCommandBatching` of the overlay's decode loop is `yes`, not true or false",
        ),
    ),
    "B47": Told(("resolved-session/decode-loop-object",), says=("`decodeLoop` is `abc`, neither an object nor null",)),
    "B48": Told(operations=("session made plain",), part="sessionDefaults"),
    "B49": Told(
        ("overlay/session-members",), says=("the overlay's session has `computee`, `kvCache`, which nothing reads",)
    ),
    "B50": Told(
        ("overlay/session-object", "resolved-session/compute-object"),
        says=("the overlay's session is a list, not an object",),
    ),
    "B51": Told(says=("`compute.kernelProfiles` of the resolved session is not a list",)),
    "B52": Told(("patch-shape/patch-members",), says=("the patch has `sett`, which nothing reads",)),
    "B53": Told(("patch-shape/patch-object",), says=("the patch is `abc`, not an object",)),
    "B54": Told(says=("`set` of the patch is an object, not a list",)),
    "B55": Told(
        ("patch-sets/set-members",), says=("set 0 of the patch changes `entry` of step `a`, which a patch may not",)
    ),
    "B56": Told(operations=("merged sets",), part="resolvedSteps.all"),
    "B57": Told(
        ("patch-sets/set-once",),
        says=(
            "set 0 of the patch changes step `a`, which the patch also removes",
            "set 1 of the patch changes step `a`, which the patch also removes",
        ),
    ),
    "B58": Told(operations=("families",), part="resolvedSteps.all"),
    "B59": Told(operations=("nothing stripped",), part="sessionDefaults"),
    "B60": Told(("flow/step-trace",), part="resolvedSources.steps"),
    "B61": Told(
        says=(
            "step `a` reads slot `n1` before it is produced, in layers 0, 1",
            "step `b` reads slot `n2` before it is produced, in layers 0, 1",
        )
    ),
    "B62": Told(("path-lists/finiteness-fallback",), part=f"{PATH}.finitenessFallbackKernelPathId"),
    "B63": Told(("application-source/source-inference",), part="runtimeConfig.inference"),
    "B64": Told(
        ("application-result/user-dtypes-agree",),
        says=(f"`compute` and `kvcache` of the config do not agree with the graph: `compute` is {BY_COMPUTE}",),
    ),
    "B65": Told(
        ("application-result/user-dtypes-agree",),
        says=(f"`compute` and `batching` of the config do not agree with the graph: `compute` is {BY_COMPUTE}",),
    ),
    "B66": Told(
        operations=("overrides derived",),
        says=("the kernel path names `nonexist.wgsl#main`, which the catalogue does not have",),
    ),
    "B67": Told(("derivation/path-pinned",), says=(SOFTCAP,)),
    "B68": Told(("application-result/config-patch",), part="runtimeConfig.inference.modelOverrides"),
    "B69": Told(operations=("contract by compile",), part="ok"),
    "B70": Told(operations=("contract by compile",), part="ok"),
    "B71": Told(operations=("contract by compile",), part="ok"),
    "B72": Told(("graph-artifact/slot-graph",), part="checks"),
}
