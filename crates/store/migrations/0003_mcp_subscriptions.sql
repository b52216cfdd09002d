-- Event subscriptions of MCP clients. Each is a webhook that belongs to a credential and ends at a time.

ALTER TABLE webhooks ADD COLUMN key_id {ID}; -- @field=subscription @key the key that subscribed; null for webhooks
ALTER TABLE webhooks ADD COLUMN session_id {ID}; -- @field=subscription @session or the session
ALTER TABLE webhooks ADD COLUMN connector_id {ID}; -- @field=subscription @connector or the connector
ALTER TABLE webhooks ADD COLUMN expires_at {I64}; -- @field=subscription
