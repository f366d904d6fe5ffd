# packages: openai
"""openai-python, chat completions."""
import os
from openai import OpenAI

client = OpenAI(base_url=os.environ["OCELLI_URL"] + "/v1", api_key="unused")
reply = client.chat.completions.create(
    model=os.environ["OCELLI_MODEL_ID"], temperature=0,
    messages=[{"role": "user", "content": [
        {"type": "image_url", "image_url": {"url": os.environ["OCELLI_PICTURE_URL"]}},
        {"type": "text", "text": "Read the text."}]}])
print(reply.choices[0].message.content)
