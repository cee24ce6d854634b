package dev.sharding.benchmarks.scale;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * Has another JVM collect all garbage twice a second, so that its log of collections
 * tells what was alive. A {@code jcmd} each time would be a JVM each time: the first one
 * opens the socket that it talks to, and then this does.
 */
final class FullCollections implements AutoCloseable {

	private static final long EVERY_MILLIS = 500;

	private static final byte[] COLLECT = "1\0jcmd\0GC.run\0\0\0".getBytes(StandardCharsets.US_ASCII);

	private final long pid;

	private final Thread thread = new Thread(this::run, "full-collections");

	FullCollections(long pid) {
		this.pid = pid;
		this.thread.setDaemon(true);
		this.thread.start();
	}

	private void run() {
		boolean open = false;
		try {
			while (ProcessHandle.of(this.pid).isPresent()) {
				TimeUnit.MILLISECONDS.sleep(EVERY_MILLIS);
				try {
					open = open || open();
					if (open) {
						collect();
					}
				}
				catch (IOException ex) {
					// It is about to end, or to start.
				}
			}
		}
		catch (InterruptedException ex) {
			// It is over.
		}
	}

	private boolean open() throws IOException, InterruptedException {
		return new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
				Long.toString(this.pid), "VM.version")
			.redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.DISCARD)
			.start()
			.waitFor() == 0;
	}

	/* As the attach API writes it; the answer comes when the collection is over. */
	private void collect() throws IOException {
		UnixDomainSocketAddress address = UnixDomainSocketAddress.of("/tmp/.java_pid" + this.pid);
		try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
			channel.connect(address);
			channel.write(ByteBuffer.wrap(COLLECT));
			ByteBuffer answer = ByteBuffer.allocate(1024);
			while (channel.read(answer) >= 0) {
				answer.clear();
			}
		}
	}

	@Override
	public void close() {
		this.thread.interrupt();
	}

}
