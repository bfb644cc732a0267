"""A typed client of Inview's HTTP API.

from inview_client import Client, models, requests

with Client("http://127.0.0.1:3000", token="inv_…") as inview:
    conversation = inview.call(requests.post_conversations(models.ConversationOfPairs(model="offline:demo")))
    for event in inview.send(conversation.id, models.DraftToSend(text="Hello")):
        print(event.text, end="")
"""

from inview_client.client import AsyncClient, Client
from inview_client.errors import InviewError, StreamLostError
from inview_client.events import Event
from inview_client.request import Request

__all__ = ["AsyncClient", "Client", "Event", "InviewError", "Request", "StreamLostError"]
