"""Chromium driven by WebDriver's plain HTTP: enough of it to open a page, ask it and take its picture."""
import base64
import json
import subprocess
import tempfile
import time
import urllib.error
import urllib.request


class Browser:
    """A headless Chromium behind a chromedriver of its own; as a context manager it ends both."""

    def __init__(self, driver, chromium, dark=False):
        self.profile = tempfile.TemporaryDirectory(prefix="gencc-browser-")
        self.process = subprocess.Popen([driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.session = None
        try:
            self.base = f"http://127.0.0.1:{self.port()}"
            arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-extensions",
                         "--disable-background-networking", "--no-first-run", "--hide-scrollbars", f"--user-data-dir={self.profile.name}"]
            wanted = {"browserName": "chrome", "goog:chromeOptions": {"binary": chromium, "args": arguments}, "goog:loggingPrefs": {"browser": "ALL"}}
            self.session = self.ask("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]
            if dark:
                self.media(dark=True)
        except BaseException:
            self.close()
            raise

    def port(self):
        for line in self.process.stdout:
            if "started successfully on port " in line:
                return int(line.rsplit(" ", 1)[1].strip(".\n"))
        raise RuntimeError("chromedriver does not say its port")

    def ask(self, method, path, body=None):
        path = path if self.session is None else f"/session/{self.session}{path}"
        data = json.dumps(body or {}).encode() if method == "POST" else None
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=60) as answer:
                return json.loads(answer.read())["value"]
        except urllib.error.HTTPError as e:
            raise RuntimeError(e.read().decode(errors="replace")[:600]) from e

    def devtools(self, name, **parameters):
        return self.ask("POST", "/goog/cdp/execute", {"cmd": name, "params": parameters})

    def media(self, dark=False, name=""):
        self.devtools("Emulation.setEmulatedMedia", media=name, features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def width(self, wide, high=900):
        self.devtools("Emulation.setDeviceMetricsOverride", width=wide, height=high, deviceScaleFactor=1, mobile=False)

    def open(self, path):
        self.ask("POST", "/url", {"url": path.resolve().as_uri()})

    def run(self, script, *arguments):
        return self.ask("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def log(self):
        """What the page's console said since it was asked last."""
        return [f"{entry['level']}: {entry['message']}" for entry in self.ask("POST", "/se/log", {"type": "browser"})]

    def picture(self, path, whole=True):
        path.write_bytes(base64.b64decode(self.devtools("Page.captureScreenshot", captureBeyondViewport=whole)["data"]))

    def paper(self, path):
        path.write_bytes(base64.b64decode(self.devtools("Page.printToPDF", printBackground=False, paperWidth=8.27, paperHeight=11.69)["data"]))

    def close(self):
        try:
            if self.session:
                self.ask("DELETE", "")
        except (OSError, RuntimeError):
            pass
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        for _ in range(20):  # the browser may still write there while it ends
            try:
                self.profile.cleanup()
                break
            except OSError:
                time.sleep(0.1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
