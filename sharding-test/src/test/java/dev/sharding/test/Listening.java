package dev.sharding.test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The addresses on which processes of Linux listen, as {@code /proc} tells: hexadecimal,
 * in the byte order of the machine.
 */
final class Listening {

	private static final String LISTEN = "0A";

	private Listening() {
	}

	/**
	 * The local addresses ("0100007F:5DC0") of all listening TCP sockets of a process.
	 */
	static List<String> addresses(long pid) throws IOException {
		Set<String> inodes = sockets(pid);
		List<String> addresses = new ArrayList<>();
		for (String table : List.of("tcp", "tcp6")) {
			for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/net/" + table))) {
				String[] fields = line.trim().split("\\s+", -1);
				if (fields.length > 9 && LISTEN.equals(fields[3]) && inodes.contains(fields[9])) {
					addresses.add(fields[1]);
				}
			}
		}
		return addresses;
	}

	static boolean isLoopback(String address) {
		return address.matches("0100007F:.*|0{24}01000000:.*|0{16}FFFF00000100007F:.*");
	}

	private static Set<String> sockets(long pid) throws IOException {
		Set<String> inodes = new HashSet<>();
		try (Stream<Path> descriptors = Files.list(Path.of("/proc/" + pid + "/fd"))) {
			for (Path descriptor : descriptors.toList()) {
				String target = link(descriptor);
				if (target.startsWith("socket:[")) {
					inodes.add(target.substring("socket:[".length(), target.length() - 1));
				}
			}
		}
		return inodes;
	}

	private static String link(Path descriptor) {
		try {
			return Files.readSymbolicLink(descriptor).toString();
		}
		catch (IOException ex) {
			// Closed in the meantime.
			return "";
		}
	}

}
