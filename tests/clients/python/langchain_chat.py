# packages: langchain-openai
"""LangChain."""
import os
from langchain_core.messages import HumanMessage
from langchain_openai import ChatOpenAI

model = ChatOpenAI(base_url=os.environ["OCELLI_URL"] + "/v1", api_key="unused",
                   model=os.environ["OCELLI_MODEL_ID"], temperature=0)
print(model.invoke([HumanMessage(content=[
    {"type": "image_url", "image_url": {"url": os.environ["OCELLI_PICTURE_URL"]}},
    {"type": "text", "text": "Read the text."}])]).content)
