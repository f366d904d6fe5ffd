# packages: litellm
"""LiteLLM."""
import os
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"   # else it asks the network for prices
import litellm

reply = litellm.completion(
    model="openai/" + os.environ["OCELLI_MODEL_ID"], temperature=0,
    api_base=os.environ["OCELLI_URL"] + "/v1", api_key="unused",
    messages=[{"role": "user", "content": [
        {"type": "image_url", "image_url": {"url": os.environ["OCELLI_PICTURE_URL"]}},
        {"type": "text", "text": "Read the text."}]}])
print(reply.choices[0].message.content)
