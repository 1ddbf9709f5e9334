# SPDX-License-Identifier: LGPL-2.1-or-later
"""The list of networks that zoo.py exports: a name, a family, how to build it, what it takes.

Own structures need torch alone.  The others come from torchvision, timm, transformers and ultralytics when those are
installed; always built from their configuration with random weights, never downloaded.
"""
import dataclasses
import importlib.machinery
import importlib.util
import os
import sys
import types
import typing
from unittest import mock

import torch

import nets


@dataclasses.dataclass
class Net:
    name: str
    family: str
    make: typing.Callable          # () -> nn.Module
    inputs: typing.Callable        # (batch) -> tuple of positional inputs
    dynamic: bool = False          # exported with a symbolic batch
    package: str = "torch"         # what must be installed
    settled: bool = True           # see zoo.settle; False: as its constructor leaves it


def picture(size, channels=3):
    """Large shapes with some noise, as photographs have: on noise alone, deep features hardly differ."""
    sizes = size if isinstance(size, tuple) else (size, size)

    def make(batch):
        coarse = torch.randn(batch, channels, 4, 4)
        smooth = torch.nn.functional.interpolate(coarse, size=sizes, mode="bilinear", align_corners=False)
        return (smooth + 0.2 * torch.randn(batch, channels, *sizes),)
    return make


def ids(length, words):
    return lambda batch: (torch.randint(1, words, (batch, length)),)


def masked_ids(length, words):
    def make(batch):
        mask = torch.ones(batch, length, dtype=torch.int64)
        mask[0, length * 3 // 4:] = 0
        return torch.randint(1, words, (batch, length)), mask
    return make


OWN = [
    Net("resnet18", "CNN", nets.resnet18, picture(64), True),
    Net("resnet18_224", "CNN", nets.resnet18, picture(224)),
    Net("resnet50", "CNN", nets.resnet50, picture(64)),
    Net("mobilenet_v2", "CNN", nets.MobileNetV2, picture(64), True),
    Net("mobilenet_v2_224", "CNN", nets.MobileNetV2, picture(224)),
    Net("vit", "vision transformer", lambda: nets.ViT(64, 8, 96, 4, 3, 100), picture(64), True),
    Net("unet", "pictures to pictures", nets.UNet, picture(48), True),
    Net("upscaler", "pictures to pictures", nets.Upscaler, picture(24), True),
    Net("detector", "detector", nets.Detector, picture(64), True),
    Net("decoder", "text", nets.Decoder, ids(24, 500)),
    Net("encoder", "text", nets.Encoder, masked_ids(20, 500), True),
    Net("lstm_tagger", "recurrent", nets.Tagger, ids(15, 300), True),
    Net("speech_gru", "recurrent", nets.SpeechGru, lambda b: (torch.randn(b, 40, 32), torch.zeros(1, b, 64))),
    Net("text_reader", "recurrent", nets.TextReader, picture((32, 64), 1)),
]


# ---- packages

def declare_torchvision_ops():
    """torchvision's C++ operators load only beside the torch they were built for.  The structures need no more than
    their names, so these are declared when the real ones cannot be had."""
    library = torch.library.Library("torchvision", "DEF")
    for name in ("nms", "qnms"):
        library.define(name + "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    for name in ("roi_align", "roi_pool", "ps_roi_align", "ps_roi_pool", "deform_conv2d"):
        library.define(name + "(Tensor input) -> Tensor")
        library.define("_" + name + "_backward(Tensor grad) -> Tensor")
    return library


LIBRARY = None


def torchvision_models():
    global LIBRARY
    if LIBRARY is None and not torchvision_ops_load():
        LIBRARY = declare_torchvision_ops()
    import torchvision.models as models
    return models


def torchvision_ops_load():
    spec = importlib.util.find_spec("torchvision")
    path = os.path.join(os.path.dirname(spec.origin), "_C.so")
    try:
        torch.ops.load_library(path)
    except OSError:
        return False
    return hasattr(torch.ops.torchvision, "nms")


def tv(name, size, family="CNN", label=None, dynamic=False, **options):
    def make():
        models = torchvision_models()
        return getattr(models, name)(weights=None, **options) if name != "googlenet" else \
            models.googlenet(weights=None, aux_logits=False, init_weights=False)
    return Net("tv_" + (label or name), family, make, picture(size), dynamic, "torchvision")


def tv_segmentation(name, size):
    def make():
        models = torchvision_models()
        return getattr(models.segmentation, name)(weights=None, weights_backbone=None)
    return Net("tv_" + name, "CNN", make, picture(size), False, "torchvision")


def tv_vit():
    vit = torchvision_models().vision_transformer
    return vit.VisionTransformer(64, 16, 4, 4, 128, 256, num_classes=100)


def tv_swin():
    swin = torchvision_models().swin_transformer
    return swin.SwinTransformer([4, 4], 32, [2, 2], [2, 4], [4, 4], num_classes=100)


def tv_maxvit():
    return torchvision_models().maxvit.MaxVit((64, 64), 32, 2, [32, 64], [1, 1], 16, 0.1, num_classes=100)


def tm(name, size=64, family="CNN", dynamic=False, **options):
    def make():
        torchvision_models() if importlib.util.find_spec("torchvision") else None
        import timm
        return timm.create_model(name, pretrained=False, **options)
    return Net("timm_" + name, family, make, picture(size), dynamic, "timm")


class Stub(types.ModuleType):
    """Stands in for a package that a library imports at its top but does not use for building a network."""
    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return mock.MagicMock(name=name)


def stub(*names):
    for name in names:
        if name in sys.modules or ("." not in name and importlib.util.find_spec(name) is not None):
            continue
        module = Stub(name)
        module.__spec__, module.__version__ = importlib.machinery.ModuleSpec(name, None), "4.10.0"
        sys.modules[name] = module


def ul(config, kind="DetectionModel", size=64, settled=True):
    def make():
        os.environ.update(YOLO_OFFLINE="true", YOLO_AUTOINSTALL="false", YOLO_VERBOSE="false")
        torchvision_models()
        if importlib.util.find_spec("cv2") is None:
            stub("cv2")
        if importlib.util.find_spec("matplotlib") is None:
            stub("matplotlib", "matplotlib.pyplot")
        if importlib.util.find_spec("polars") is None:
            stub("polars")
        import ultralytics.nn.tasks as tasks
        return getattr(tasks, kind)(config + ".yaml", verbose=False)
    name = "yolo_" + config.replace("-", "_") + ("" if settled else "_initial")
    return Net(name, "YOLO", make, picture(size), False, "ultralytics", settled)


def hf(label, model, config, inputs, family="text", dynamic=False, **options):
    def make():
        torchvision_models() if importlib.util.find_spec("torchvision") else None
        import transformers
        return Tensors(getattr(transformers, model)(getattr(transformers, config)(**options)))
    return Net("hf_" + label, family, make, inputs, dynamic, "transformers")


class Tensors(torch.nn.Module):
    """Calls a transformers model without a cache and hands its tensors back as a tuple."""

    def __init__(self, model):
        super().__init__()
        self.model = model
        for name in ("use_cache",):
            if hasattr(model.config, name):
                setattr(model.config, name, False)

    def forward(self, *inputs):
        return self.model(*inputs, return_dict=True).to_tuple()


TEXT = dict(vocab_size=200, hidden_size=96, num_hidden_layers=2, num_attention_heads=4, intermediate_size=192,
            max_position_embeddings=64)
VISION = dict(image_size=64, patch_size=16, hidden_size=96, num_hidden_layers=2, num_attention_heads=4,
              intermediate_size=192)

TORCHVISION = [
    tv("alexnet", 96), tv("convnext_tiny", 64), tv("densenet121", 64), tv("efficientnet_b0", 64, dynamic=True),
    tv("googlenet", 64), tv("mnasnet0_5", 64), tv("mobilenet_v2", 64), tv("mobilenet_v3_small", 64, dynamic=True),
    tv("mobilenet_v3_large", 224), tv("regnet_x_400mf", 64), tv("regnet_y_400mf", 64), tv("resnet18", 224),
    tv("resnet50", 64),
    tv("resnext50_32x4d", 64), tv("shufflenet_v2_x1_0", 64), tv("squeezenet1_1", 64), tv("vgg11_bn", 64),
    tv("efficientnet_v2_s", 64), tv("inception_v3", 96, init_weights=False, aux_logits=False),
    tv_segmentation("lraspp_mobilenet_v3_large", 64), tv_segmentation("deeplabv3_mobilenet_v3_large", 64),
    Net("tv_vit", "vision transformer", tv_vit, picture(64), True, "torchvision"),
    Net("tv_swin", "vision transformer", tv_swin, picture(64), False, "torchvision"),
    Net("tv_maxvit", "vision transformer", tv_maxvit, picture(64), False, "torchvision"),
]
VIT = "vision transformer"
TIMM = [
    tm("convnextv2_atto"), tm("dla46_c"), tm("efficientnet_lite0"), tm("fastvit_t8"), tm("ghostnet_050"),
    tm("hardcorenas_a"), tm("hgnetv2_b0"), tm("inception_next_atto"), tm("lcnet_050"), tm("mixnet_s"),
    tm("mobilenetv4_conv_small", dynamic=True), tm("mobileone_s0"), tm("poolformer_s12"), tm("regnety_002"),
    tm("repvgg_a0"), tm("repvit_m0_9"), tm("res2net50_26w_4s"), tm("rexnet_100"), tm("starnet_s1"), tm("resnet18d"),
    tm("tf_efficientnet_b0"), tm("mambaout_femto"), tm("skresnet18"), tm("resnest14d"), tm("nf_resnet50"),
    tm("convmixer_768_32", 56), tm("ecaresnet26t"), tm("legacy_seresnet18"),
    tm("vit_tiny_patch16_224", 64, VIT, img_size=64), tm("deit_tiny_distilled_patch16_224", 64, VIT, img_size=64),
    tm("swin_tiny_patch4_window7_224", 56, VIT, img_size=56), tm("swinv2_tiny_window8_256", 64, VIT, img_size=64),
    tm("mobilevit_xxs", 64, VIT), tm("mobilevitv2_050", 64, VIT), tm("levit_128s", 224, VIT),
    tm("pit_ti_224", 224, VIT), tm("edgenext_xx_small", 64, VIT), tm("efficientformer_l1", 224, VIT),
    tm("efficientvit_b0", 64, VIT), tm("efficientvit_m0", 224, VIT), tm("gmlp_ti16_224", 64, VIT, img_size=64),
    tm("mixer_s32_224", 64, VIT, img_size=64), tm("tiny_vit_5m_224", 224, VIT), tm("twins_svt_small", 224, VIT),
    tm("xcit_nano_12_p16_224", 64, VIT), tm("pvt_v2_b0", 64, VIT), tm("coat_lite_tiny", 64, VIT, img_size=64),
    tm("focalnet_tiny_srf", 64, VIT), tm("eva02_tiny_patch14_224", 56, VIT, img_size=56),
    tm("cait_xxs24_224", 64, VIT, img_size=64), tm("vit_tiny_patch16_224", 224, VIT, dynamic=True),
    tm("crossvit_9_240", 240, VIT), tm("hiera_tiny_224", 224, VIT),
]
TIMM[-3].name += "_full"
ULTRALYTICS = [
    ul("yolov8n"), ul("yolov8n-seg", "SegmentationModel"), ul("yolov8n-pose", "PoseModel"),
    ul("yolo11n", size=160), ul("yolo11n-cls", "ClassificationModel"), ul("yolov5n"), ul("yolov10n"), ul("yolov9t"),
    ul("yolov3-tiny"), ul("yolo12n"), ul("yolo26n"),
    ul("yolov8n", size=160, settled=False), ul("yolov8n-seg", "SegmentationModel", settled=False),
    ul("yolo11n", size=160, settled=False), ul("yolo26n", size=160, settled=False),
]
TRANSFORMERS = [
    hf("gpt2", "GPT2LMHeadModel", "GPT2Config", ids(16, 200),
       vocab_size=200, n_positions=64, n_embd=96, n_layer=2, n_head=4),
    hf("bert", "BertModel", "BertConfig", masked_ids(16, 200), dynamic=True, **TEXT),
    hf("minilm", "BertModel", "BertConfig", masked_ids(16, 200),
       **{**TEXT, "hidden_size": 384, "num_attention_heads": 12,
                                                                   "intermediate_size": 768}),
    hf("distilbert", "DistilBertModel", "DistilBertConfig", masked_ids(16, 200),
       vocab_size=200, dim=96, n_layers=2, n_heads=4,
       hidden_dim=192, max_position_embeddings=64),
    hf("roberta", "RobertaModel", "RobertaConfig", masked_ids(16, 200), **TEXT),
    hf("t5_encoder", "T5EncoderModel", "T5Config", masked_ids(16, 200),
       vocab_size=200, d_model=64, d_kv=16, d_ff=128, num_layers=2,
       num_heads=4),
    hf("vit", "ViTModel", "ViTConfig", picture(64), VIT, **VISION),
    hf("dinov2", "Dinov2Model", "Dinov2Config", picture(64), VIT, **VISION),
    hf("siglip", "SiglipVisionModel", "SiglipVisionConfig", picture(64), VIT, **VISION),
    hf("segformer", "SegformerForSemanticSegmentation", "SegformerConfig", picture(64),
       VIT, hidden_sizes=[16, 32, 48, 64],
       depths=[1, 1, 1, 1], decoder_hidden_size=32),
]


def all_nets():
    return OWN + TORCHVISION + TIMM + ULTRALYTICS + TRANSFORMERS


def installed(net):
    return net.package == "torch" or importlib.util.find_spec(net.package) is not None
