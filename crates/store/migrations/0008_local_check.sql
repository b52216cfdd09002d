-- What the local screen found in received mail.

ALTER TABLE messages ADD COLUMN local_check {TEXT}; -- JSON object: score, reasons and spam; null: sent, or stored by an older version
