package dev.sharding.controlplane;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * Lets one installation run at a time, across threads, class loaders and processes. The
 * operating system releases it when its process ends, however it ends.
 */
final class InstallLock implements AutoCloseable {

	private static final long POLL_MILLIS = 200;

	private final FileChannel channel;

	private InstallLock(FileChannel channel) {
		this.channel = channel;
	}

	static InstallLock take(Path file, Heartbeat heartbeat) throws IOException {
		Files.createDirectories(file.getParent());
		FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
		try {
			boolean told = false;
			while (tryLock(channel) == null) {
				if (!told) {
					heartbeat.begin("waiting for another installation that holds " + file);
					told = true;
				}
				TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
			}
			return new InstallLock(channel);
		}
		catch (InterruptedException ex) {
			channel.close();
			Thread.currentThread().interrupt();
			throw new IOException("Interrupted while waiting for " + file, ex);
		}
		catch (IOException | RuntimeException ex) {
			channel.close();
			throw ex;
		}
	}

	private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
		try {
			return channel.tryLock();
		}
		catch (OverlappingFileLockException ex) {
			// Held by another thread of this JVM.
			return null;
		}
	}

	@Override
	public void close() throws IOException {
		this.channel.close();
	}

}
