package dev.sharding.test;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/**
 * The end of a log file, for messages.
 */
final class LogTail {

	private static final int BYTES = 16 * 1024;

	private LogTail() {
	}

	static String of(Path log, int lines) {
		try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "r")) {
			long start = Math.max(0, file.length() - BYTES);
			byte[] bytes = new byte[(int) (file.length() - start)];
			file.seek(start);
			file.readFully(bytes);
			List<String> all = new String(bytes, StandardCharsets.UTF_8).lines().toList();
			return String.join("\n", all.subList(Math.max(0, all.size() - lines), all.size()));
		}
		catch (IOException ex) {
			return "(" + log + " cannot be read: " + ex + ")";
		}
	}

}
