export interface Upload {
  filename: string;
  content_type: string;
  content_base64: string;
  size: number;
}

/** Reads chosen files into the form of the API. */
export function readFiles(files: FileList): Promise<Upload[]> {
  return Promise.all([...files].map(readFile));
}

async function readFile(file: File): Promise<Upload> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let binary = '';
  const step = 0x8000;
  for (let at = 0; at < bytes.length; at += step) {
    binary += String.fromCharCode(...bytes.subarray(at, at + step));
  }
  return {
    filename: file.name.replaceAll(/[/\\]/g, '_'),
    content_type: /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(file.type) ? file.type : 'application/octet-stream',
    content_base64: btoa(binary),
    size: file.size,
  };
}

/** The members of an upload that the API accepts. */
export function attachments(uploads: readonly Upload[]) {
  return uploads.map(({ size: _, ...upload }) => upload);
}
