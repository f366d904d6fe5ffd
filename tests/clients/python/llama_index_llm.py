# packages: llama-index-llms-openai-like
"""LlamaIndex."""
import base64
import os
from llama_index.core.llms import ChatMessage, ImageBlock, TextBlock
from llama_index.llms.openai_like import OpenAILike

model = OpenAILike(api_base=os.environ["OCELLI_URL"] + "/v1", api_key="unused", is_chat_model=True,
                   model=os.environ["OCELLI_MODEL_ID"], temperature=0)
picture = base64.b64decode(os.environ["OCELLI_PICTURE_URL"].split(",", 1)[1])
print(model.chat([ChatMessage(role="user", blocks=[
    ImageBlock(image=picture), TextBlock(text="Read the text.")])]).message.content)
