"""rabbitmq_client.py PORT MESSAGES: publishes, and takes back what it has published, ten at a time."""

import hashlib
import sys

import pika

port, messages = map(int, sys.argv[1:])
connection = pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", port))
channel = connection.channel()
channel.queue_declare("queue", exclusive=True)
digest, taken = hashlib.sha256(), 0
for number in range(messages):
    channel.basic_publish("", "queue", b"m%d " % number * (1 + number % 20))
    while number % 10 == 9 and taken <= number:
        found, _, body = channel.basic_get("queue", auto_ack=True)
        if found:
            digest.update(body)
            taken += 1
print(taken, digest.hexdigest())
connection.close()
