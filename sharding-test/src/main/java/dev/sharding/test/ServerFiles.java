package dev.sharding.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.spec.ECGenParameterSpec;
import java.util.Base64;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * The files of one control plane: a private temporary folder with the administrator's
 * token, the keys for ServiceAccount tokens, and later data, certificates and logs.
 *
 * @param folder the folder, readable by its owner only
 * @param adminToken the token of a member of {@code system:masters}
 * @param auditPolicy the policy file, if there is a policy
 */
record ServerFiles(Path folder, String adminToken, @Nullable Path auditPolicy) {

	private static final String PREFIX = "sharding-control-plane-";

	private static final String TOKENS = "tokens.csv";

	private static final Pattern FOLDER = Pattern.compile(PREFIX + "(\\d{1,18})-\\d+");

	static ServerFiles create(@Nullable String auditPolicy) {
		try {
			removeFoldersOfKilledJvms();
			Path folder = Files.createTempDirectory(PREFIX + ProcessHandle.current().pid() + "-");
			byte[] random = new byte[16];
			new SecureRandom().nextBytes(random);
			String token = HexFormat.of().formatHex(random);
			Files.writeString(folder.resolve(TOKENS), token + ",admin,admin,system:masters\n");
			KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
			generator.initialize(new ECGenParameterSpec("secp256r1"));
			KeyPair keys = generator.generateKeyPair();
			Files.writeString(folder.resolve("private.pem"), pem("PRIVATE KEY", keys.getPrivate().getEncoded()));
			Files.writeString(folder.resolve("public.pem"), pem("PUBLIC KEY", keys.getPublic().getEncoded()));
			Path policy = (auditPolicy != null) ? Files.writeString(folder.resolve("audit-policy.yaml"), auditPolicy)
					: null;
			return new ServerFiles(folder, token, policy);
		}
		catch (IOException | GeneralSecurityException ex) {
			throw new IllegalStateException("Failed to write the files of a control plane", ex);
		}
	}

	/* A JVM that ends by kill -9 leaves its folder, with 64 MB of etcd's log in it. */
	private static void removeFoldersOfKilledJvms() throws IOException {
		try (Stream<Path> folders = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
			// Without the tokens it holds nothing but logs, kept on purpose.
			folders.filter((folder) -> isLeftBehind(folder.getFileName().toString()))
				.filter((folder) -> Files.exists(folder.resolve(TOKENS)))
				.forEach((folder) -> delete(folder, (path) -> true));
		}
	}

	static boolean isLeftBehind(String name) {
		Matcher matcher = FOLDER.matcher(name);
		return matcher.matches() && ProcessHandle.of(Long.parseLong(matcher.group(1))).isEmpty();
	}

	private static String pem(String type, byte[] der) {
		return "-----BEGIN " + type + "-----\n" + Base64.getMimeEncoder(64, new byte[] { '\n' }).encodeToString(der)
				+ "\n-----END " + type + "-----\n";
	}

	Path tokens() {
		return this.folder.resolve(TOKENS);
	}

	Path privateKey() {
		return this.folder.resolve("private.pem");
	}

	Path publicKey() {
		return this.folder.resolve("public.pem");
	}

	/*
	 * The API server makes a self-signed certificate here, and finds it again when it
	 * restarts.
	 */
	Path certificates() {
		return this.folder.resolve("certificates");
	}

	String certificate() {
		try {
			return Files.readString(certificates().resolve("apiserver.crt"));
		}
		catch (IOException ex) {
			throw new IllegalStateException("Failed to read the certificate of the API server", ex);
		}
	}

	/** Removes the folder; what cannot be removed stays. */
	void delete() {
		delete(this.folder, (path) -> true);
	}

	/** Removes everything but the logs, for somebody who wants to know what happened. */
	void deleteAllButLogs() {
		delete(this.folder, (path) -> !path.equals(this.folder) && !path.toString().endsWith(".log"));
	}

	static void delete(Path folder, Predicate<Path> what) {
		try (Stream<Path> tree = Files.walk(folder).filter(what)) {
			List<Path> deepestFirst = tree.sorted(Comparator.reverseOrder()).toList();
			for (Path path : deepestFirst) {
				Files.deleteIfExists(path);
			}
		}
		catch (IOException | UncheckedIOException ex) {
			// It lies in the system's folder for temporary files.
		}
	}

}
