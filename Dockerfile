# The page on a CPU, as another user than root: docker build -t vitviz . && docker run --rm -p 7860:7860 vitviz
# With a read-only root: docker run --rm --read-only --tmpfs /tmp -p 7860:7860 vitviz
FROM python:3.12-slim

ENV PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 PIP_NO_CACHE_DIR=1
WORKDIR /app

# The CPU build of torch: the default one has 5 GB of CUDA libraries.
COPY requirements.txt ./
RUN pip install torch torchvision --index-url https://download.pytorch.org/whl/cpu && pip install -r requirements.txt

COPY app.py README.md ./
COPY vitviz vitviz
COPY checkpoints checkpoints

RUN useradd --create-home vitviz
USER vitviz

# What libraries cache goes to /tmp, the one writable folder of a read-only container.
ENV GRADIO_SERVER_NAME=0.0.0.0 PORT=7860 MPLCONFIGDIR=/tmp/matplotlib HF_HOME=/tmp/huggingface VITVIZ_CACHE=/tmp/vitviz
EXPOSE 7860
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD ["python", "-c", "import os, urllib.request; urllib.request.urlopen(f\"http://127.0.0.1:{os.environ['PORT']}/\", timeout=4)"]
CMD ["python", "app.py", "--public"]
