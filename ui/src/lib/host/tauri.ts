import { Channel, invoke } from '@tauri-apps/api/core';
import type { Host, RawNotice } from './types';

const RETRY_MS = 2_000;

/** The desktop window: one `rpc` command and one channel that brings batches of notices. */
export function tauriHost(): Host {
  return {
    kind: 'window',
    rpc: (method, params) => invoke('rpc', { method, params }),
    subscribe(onNotices, onLink) {
      let live = true;
      const channel = new Channel<RawNotice[]>();
      channel.onmessage = (batch) => {
        if (live) onNotices(batch);
      };
      // Refused only while the project cannot be opened (locked, unreadable): that passes, so it is tried again.
      const listen = (): void => {
        invoke('subscribe', { channel }).then(
          () => live && onLink?.('open'),
          () => {
            if (!live) return;
            onLink?.('lost');
            setTimeout(listen, RETRY_MS);
          },
        );
      };
      listen();
      return () => {
        live = false;
      };
    },
    async openFolder(title) {
      const { open } = await import('@tauri-apps/plugin-dialog');
      const folder = await open({ directory: true, multiple: false, title });
      if (typeof folder === 'string') await invoke('open_folder', { folder });
    },
    showFolder: (folder) => invoke('open_folder', { folder }),
    async pickFolder(title) {
      const { open } = await import('@tauri-apps/plugin-dialog');
      return open({ directory: true, multiple: false, title });
    },
    async pickFile(title, extensions) {
      const { open } = await import('@tauri-apps/plugin-dialog');
      const name = extensions.map((ending) => `*.${ending}`).join(', ');
      return open({ multiple: false, title, filters: [{ name, extensions }] });
    },
    async pickSave(title, suggestedName) {
      const { save } = await import('@tauri-apps/plugin-dialog');
      return save({ title, defaultPath: suggestedName });
    },
    async openExternal(url) {
      const { openUrl } = await import('@tauri-apps/plugin-opener');
      await openUrl(url);
    },
  };
}
