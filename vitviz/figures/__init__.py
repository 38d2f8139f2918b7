"""Maps -> colours and figures."""
