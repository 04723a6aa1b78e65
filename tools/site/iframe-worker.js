// Search for pages that are opened from a folder, where browsers allow no Worker: its script runs in a hidden frame.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.appendChild(frame);
      const inside = frame.contentWindow;
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      const send = (data) => inside.dispatchEvent(new MessageEvent("message", { data }));
      const waiting = [];
      this.postMessage = (data) => waiting.push(data);
      const script = inside.document.createElement("script");
      script.src = url;
      script.onload = () => {
        this.postMessage = send;
        waiting.forEach(send);
      };
      inside.document.body.appendChild(script);
    }
  };
}
