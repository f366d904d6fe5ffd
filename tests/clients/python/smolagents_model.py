# packages: smolagents openai
"""smolagents, its model class."""
import base64
import io
import os
from PIL import Image
from smolagents import OpenAIServerModel

model = OpenAIServerModel(model_id=os.environ["OCELLI_MODEL_ID"], temperature=0,
                          api_base=os.environ["OCELLI_URL"] + "/v1", api_key="unused")
picture = Image.open(io.BytesIO(base64.b64decode(os.environ["OCELLI_PICTURE_URL"].split(",", 1)[1])))
print(model.generate([{"role": "user", "content": [
    {"type": "image", "image": picture}, {"type": "text", "text": "Read the text."}]}]).content)
